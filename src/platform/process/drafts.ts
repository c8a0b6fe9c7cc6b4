// What is written aside and renamed when whole. A process that is killed leaves its draft: the next one removes it.
import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'

/** Drafts are named `prefix`, the pid of their maker, and what may follow behind a hyphen. */
export async function removeStaleDrafts(prefix: string): Promise<void> {
  const folder = path.dirname(prefix)
  const start = path.basename(prefix)
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(start) ? Number(name.slice(start.length).split('-')[0]) : 0
    if (pid > 0 && !isAlive(pid)) await rm(path.join(folder, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
