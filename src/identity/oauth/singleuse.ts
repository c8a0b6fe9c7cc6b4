// Codes and refresh tokens may be used once: requests that bring the same one take turns, so that the first has its
// tokens before a replay revokes them. Other nodes are held by the adapter's statement.
import { createHash } from 'node:crypto'
import { fieldOf, type OauthCall, type OauthHandler } from './endpoint.ts'

export function inTurn(run: OauthHandler): OauthHandler {
  const turns = new Map<string, Promise<void>>()
  return async (call, response) => {
    const key = keyOf(call)
    if (key === null) return run(call, response)
    const start = () => run(call, response)
    const turn = (turns.get(key) ?? Promise.resolve()).then(start, start)
    turns.set(key, turn)
    try {
      await turn
    } finally {
      if (turns.get(key) === turn) turns.delete(key)
    }
  }
}

function keyOf(call: OauthCall): string | null {
  const value = fieldOf(call, 'code') ?? fieldOf(call, 'refresh_token')
  return value ? createHash('sha256').update(value).digest('base64') : null
}
