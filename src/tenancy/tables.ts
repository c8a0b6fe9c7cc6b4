// The tables of the wing, each declared with its noun, and those of kit and platform.
export * from './answers/tables.ts'
export * from './audit/tables.ts'
export * from './dispatch/tables.ts'
export * from './emails/tables.ts'
export * from './events/tables.ts'
export * from './plans/tables.ts'
export * from './stores/tables.ts'
export * from './tables/platform.ts'
