import { importScreen } from './import.ts'
import { imports } from './imports.ts'

export const screens = [imports, importScreen]
