// Software that the operator has verified. All its instances share a software_id, but anyone may claim one: the mark
// therefore also requires that every redirect leads to a host that was verified with it.
import type { ClientMetadata } from 'oidc-provider'
import type { Db, Tx } from '../../kit/database/database.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault } from '../../kit/values/faults.ts'
import { sql } from '../../kit/database/sql.ts'
import { clientFaults } from './errors.ts'

export async function isVerified(db: Db, { software_id, redirect_uris = [] }: ClientMetadata): Promise<boolean> {
  if (typeof software_id !== 'string') return false
  const software = await db.one<{ hosts: string[] }>(sql`
    select hosts
    from oauth_software
    where software_id = ${software_id}`)
  return (
    software !== undefined &&
    redirect_uris.every((uri) => {
      const { protocol, hostname } = new URL(uri)
      return protocol === 'https:' && software.hosts.includes(hostname)
    })
  )
}

/** An empty list of hosts removes the mark. */
export async function verifySoftware(tx: Tx, softwareId: string, hosts: readonly string[]): Promise<void> {
  const names = hosts.map((host) => host.trim().toLowerCase())
  const wrong = names.find((name) => !/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,63}$/.test(name))
  if (wrong !== undefined) throw invalid(fault('host', clientFaults.no_host, { name: wrong }))
  await tx.rows(
    names.length === 0
      ? sql`delete from oauth_software where software_id = ${softwareId}`
      : sql`
      insert into oauth_software (software_id, hosts, verified_at)
      values (${softwareId}, ${names}, ${tx.now})
      on conflict (software_id) do update set hosts = excluded.hosts, verified_at = excluded.verified_at`,
  )
}
