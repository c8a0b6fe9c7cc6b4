import { clusterDirectory } from '../src/platform/postgres/cluster.ts'
import { findPostmaster } from '../src/platform/postgres/postmaster.ts'

/** The pid of the first process of the PostgreSQL that runs in the data directory. */
export async function postmasterOf(dataDir: string): Promise<number | null> {
  return findPostmaster(await clusterDirectory(dataDir))
}
