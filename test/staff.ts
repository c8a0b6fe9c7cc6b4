// People who use the dashboard as a browser without a script does: pages by GET, forms by POST.
import { openSession, sessionCookie } from '../src/identity/accounts/session.ts'
import { addMember, createUser, type RoleChoice } from '../src/identity/accounts/operations.ts'
import { newUuid } from '../src/kit/values/ids.ts'
import { noticeCookie } from '../src/dashboard/framework/frame.ts'
import type { TestStore, World } from './world.ts'

export const siteUrl = 'https://shop.example'

export type Staff = {
  userId: string
  cookie: string
  get(path: string, headers?: Record<string, string>): Promise<Shown>
  post(path: string, fields: Record<string, string | string[]>, headers?: Record<string, string>): Promise<Shown>
}
/** `notice`: what the next page confirms, e.g. `saved` or `changed_count.3`. */
export type Shown = { status: number; text: string; location: string; notice: string; headers: Headers }

/** Signed in; paths are below /dashboard. */
export async function staffOf(
  world: World,
  shops: Pick<TestStore, 'store'>[],
  role: RoleChoice = 'owner',
): Promise<Staff> {
  const { db } = world.app
  const userId = await db.transaction(async (tx) => {
    const id = await createUser(tx, {
      email: `${newUuid()}@example.com`,
      password: 'correct horse battery',
      name: 'Ana',
    })
    for (const { store } of shops) await addMember(tx, store, id, role)
    return id
  })
  const how = { ip: '10.0.0.1', userAgent: 'test', how: 'password' } as const
  const value = await db.transaction((tx) => openSession(tx, userId, how))
  const cookie = `${sessionCookie(siteUrl)}=${value}`
  return { userId, cookie, ...browsing(world.url, cookie) }
}

export function browsing(url: string, cookie = ''): Pick<Staff, 'get' | 'post'> {
  let notice = ''
  const ask = async (path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Shown> => {
    const sent = notice ? `${cookie}; ${noticeCookie}=${notice}` : cookie
    const headers = { cookie: sent, accept: 'text/html', ...init.headers }
    const answer = await fetch(`${url}/dashboard${path}`, { ...init, headers, redirect: 'manual' })
    const location = (answer.headers.get('location') ?? '').replace('/dashboard', '')
    const line = answer.headers.getSetCookie().find((one) => one.startsWith(`${noticeCookie}=`))
    if (line) notice = line.slice(noticeCookie.length + 1).split(';')[0]!
    return { status: answer.status, text: await answer.text(), location, notice, headers: answer.headers }
  }
  return {
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, fields, headers = {}) => {
      const body = new URLSearchParams()
      for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) body.append(name, one)
      return ask(path, {
        method: 'POST',
        body,
        headers: { origin: siteUrl, 'sec-fetch-site': 'same-origin', ...headers },
      })
    },
  }
}

/** The values of all fields of a page that have this name. */
export function fieldsOf({ text }: Shown, name: string): string[] {
  return [...text.matchAll(new RegExp(`name="${name}" value="([^"]*)"`, 'g'))].map(([, value]) => value!)
}

/** The value of a field of a page. */
export function hiddenOf({ text }: Shown, name: string): string {
  const found = new RegExp(`name="${name}" value="([^"]*)"`).exec(text)
  if (!found) throw new Error(`there is no ${name} in ${text.slice(0, 2000)}`)
  return found[1]!.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}
