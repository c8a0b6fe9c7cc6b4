import { installation, table } from '../../tenancy/tables/table.ts'

export const signingKeys = table('signing_keys', installation)
