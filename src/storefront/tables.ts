// The tables of the wing, each declared with its noun.
export * from './accounts/tables.ts'
export * from './branding/tables.ts'
export * from './checkout/tables.ts'
export * from './letters/tables.ts'
export * from './redirects/tables.ts'
