import { table } from '../../tenancy/tables/table.ts'
import { fork } from './fork.ts'

export const forks = table(fork, {
  placement: 'local',
  audit: { noun: 'fork' },
  stays: 'databases of the installation',
})
