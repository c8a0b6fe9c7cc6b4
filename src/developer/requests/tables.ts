import { table } from '../../tenancy/tables/table.ts'

export const requests = table('requests', {
  audit: 'a log of its own',
  stays: 'the log of an installation, kept for days',
})
