// The tables of the wing, each declared with its noun.
export * from './account/tables.ts'
export * from './accounts/tables.ts'
export * from './apikeys/tables.ts'
export * from './oauth/tables.ts'
