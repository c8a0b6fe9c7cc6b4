// Letters that were sent while no mail server is set up. Worlds that read them have a database of their own.
import type { App } from '../src/program/app.ts'
import { readOutbox } from '../src/platform/outbound/mail.ts'

/** Sends what is due. The newest to this address first; there must be so many. */
export async function letterTo({ db, vault, sender }: App, to: string, count = 1) {
  await sender.sendDue()
  const letters = (await readOutbox(db, vault, 500)).filter((one) => one.to === to)
  if (letters.length < count) throw new Error(`there are no ${count} letters to ${to}`)
  return letters
}

export const linkIn = (text: string) => /https?:\/\/\S+/.exec(text)![0]
