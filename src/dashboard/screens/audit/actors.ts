// Names of actors, and of the roles that events are about, read with one query for a whole page of a log.
import { sql } from '../../../kit/database/sql.ts'
import { publicId, toUuid } from '../../../kit/values/ids.ts'
import type { PageContext } from '../../framework/screen.ts'
import { messageOr, type Translate } from '../../framework/messages.ts'

type LoggedActor = { kind: string; id: string | null; user?: string | null }

/** Maps public ids to names. */
export type ActorNames = ReadonlyMap<string, string>

export async function loadActorNames(
  { db, store }: PageContext,
  entries: readonly { actor: LoggedActor }[],
): Promise<ActorNames> {
  const ids = entries.flatMap(({ actor: { id, user } }) => [id, user]).filter((id) => typeof id === 'string')
  const uuids = (prefix: 'usr' | 'key' | 'role') => ids.map((id) => toUuid(prefix, id)).filter((uuid) => uuid !== null)
  const rows = await db.rows<{ kind: string; id: string; name: string }>(sql`
    select 'usr' as kind, users.id::text as id, coalesce(users.name, users.email) as name
    from members
    join users on users.id = members.user_id
    where members.store_id = ${store.id}
      and users.id = any(${uuids('usr')}::uuid[])
    union all
    select 'key', api_keys.id::text, api_keys.name
    from api_keys
    where api_keys.store_id = ${store.id}
      and api_keys.id = any(${uuids('key')}::uuid[])
    union all
    select 'role', roles.id::text, roles.name
    from roles
    where roles.store_id = ${store.id}
      and roles.id = any(${uuids('role')}::uuid[])
    union all
    select '', oauth_clients.id, oauth_clients.name
    from oauth_clients
    where oauth_clients.id = any(${ids}::text[])`)
  return new Map(rows.map(({ kind, id, name }) => [kind ? publicId(kind, id) : id, name]))
}

/** An app acts for the person who connected it. Former members are shown by id. */
export function actorText(
  t: Translate,
  { kind, id, user }: LoggedActor,
  names: ActorNames,
): { name: string; kind: string } {
  const formatActorName = (id: string) => names.get(id) ?? id
  const what = messageOr(t, `actor_${kind}`, kind)
  const by = user ? `${what} · ${formatActorName(user)}` : what
  return id ? { name: formatActorName(id), kind: by } : { name: what, kind: '' }
}
