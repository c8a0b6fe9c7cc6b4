import { table } from '../../tenancy/tables/table.ts'
import { customRole } from './role.ts'

export const roles = table(customRole, { placement: 'local', audit: { noun: 'role' }, unforked: 'what staff may do' })
