// Folders below DATA_DIR, and what is wrong with one in words.
import { access, constants, mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { getSystemErrorMessage } from 'node:util'

/**
 * Makes a folder and those above it, and demands that it can be written. Step by step: Node's recursive mkdir tries for
 * ever where the system answers ENOENT for a folder that cannot be made, as below /proc.
 */
export async function makeFolder(folder: string, mode: number): Promise<void> {
  try {
    await makeSteps(path.resolve(folder), mode)
    await access(folder, constants.W_OK)
  } catch (error) {
    const { errno } = error as NodeJS.ErrnoException
    const reason = errno === undefined ? (error as Error).message : getSystemErrorMessage(errno)
    throw new Error(`DATA_DIR ${folder} cannot be used: ${reason}. Set DATA_DIR to a folder that can be written`, {
      cause: error,
    })
  }
}

async function makeSteps(folder: string, mode: number): Promise<void> {
  const existing = await stat(folder).catch(() => null)
  if (existing?.isDirectory()) return
  if (existing) throw new Error('it is a file')
  await makeSteps(path.dirname(folder), mode)
  await mkdir(folder, { mode }).catch((error: NodeJS.ErrnoException) => {
    // Another process may have made it meanwhile.
    if (error.code !== 'EEXIST') throw error
  })
}
