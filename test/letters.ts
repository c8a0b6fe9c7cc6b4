// Letters that were sent while no mail server is set up.
import type { Database } from '../src/kit/database/database.ts'
import type { Vault } from '../src/kit/values/secrets.ts'
import { readOutbox } from '../src/platform/outbound/mail.ts'

/** The newest first, once there are so many to this address. */
export async function letterTo(db: Database, vault: Vault, to: string, count = 1) {
  for (let tries = 0; tries < 200; tries++) {
    const letters = (await readOutbox(db, vault, 500)).filter((one) => one.to === to)
    if (letters.length >= count) return letters
    await new Promise((wake) => setTimeout(wake, 20))
  }
  throw new Error(`there are no ${count} letters to ${to}`)
}

export const linkIn = (text: string) => /https?:\/\/\S+/.exec(text)![0]
