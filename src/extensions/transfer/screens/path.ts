export const importsPath = '/settings/imports'
