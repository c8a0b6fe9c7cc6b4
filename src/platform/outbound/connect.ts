// Opens the connections of the guarded fetch: no byte leaves for an unchecked address.
import net from 'node:net'
import tls from 'node:tls'
import { buildConnector } from 'undici'
import { isAllowed, notPublic, type Network } from './addresses.ts'
import { addressNotAllowed, failureResult, classifyFailure, type Stage } from './failures.ts'
import type { AddressesOf } from './names.ts'

export type ConnectorOptions = {
  lookUpAddresses: AddressesOf
  allowedNetworks: readonly Network[]
  ca?: string | string[] | undefined
  timeoutMs: number
}

/** A connector for undici. timeoutMs covers resolver, TCP and TLS together. */
export function guardedConnector({
  lookUpAddresses,
  allowedNetworks,
  ca,
  timeoutMs,
}: ConnectorOptions): buildConnector.connector {
  const startTls = buildConnector({
    allowH2: false,
    timeout: 0,
    secureContext: tls.createSecureContext(ca ? { ca: withDefaultRoots(ca) } : {}),
    // Set here, so that NODE_TLS_REJECT_UNAUTHORIZED=0 changes nothing.
    rejectUnauthorized: true,
  })

  return (target, done) => {
    let stage: Stage = 'resolve'
    let tcp: net.Socket | undefined
    let isOver = false
    const end = (error: Error | null, socket: tls.TLSSocket | null) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      if (socket) return done(null, socket)
      tcp?.destroy()
      const { error: kind, message, detail } = classifyFailure(error!, stage)
      done(failureResult(kind, message, `${target.hostname}:${target.port || 443} ${detail}`), null)
    }
    const timer = setTimeout(() => {
      const seconds = timeoutMs / 1_000
      end(
        failureResult('TIMEOUT', `No connection within ${seconds} seconds.`, `${stage} took longer than ${seconds} s`),
        null,
      )
    }, timeoutMs)

    lookUpAddresses(target.hostname)
      .then((addresses) => {
        if (isOver) return
        stage = 'connect'
        tcp = openTcp(addresses, target, (peer) => {
          if (isOver) return
          if (!peer)
            return end(failureResult('RESET', 'The connection was closed immediately.', 'the peer is gone'), null)
          if (!isAllowed(peer, allowedNetworks)) {
            return end(failureResult('BLOCKED_ADDRESS', addressNotAllowed(notPublic), `connected to ${peer}`), null)
          }
          stage = 'tls'
          const servername = target.hostname.replace(/\.$/, '')
          startTls(
            { ...target, servername: net.isIP(servername) ? '' : servername, httpSocket: tcp! },
            (error, socket) => end(error, socket as tls.TLSSocket | null),
          )
        })
        tcp.on('error', (error) => end(error, null))
      })
      .catch((error) => end(error, null))
  }
}

// With several addresses Node tries the next one after each failure or second; two of each family fit into 5 s.
function openTcp(
  addresses: string[],
  target: buildConnector.Options,
  onConnect: (peer: string | undefined) => void,
): net.Socket {
  const choice = [4, 6].flatMap((family) =>
    addresses
      .filter((address) => net.isIP(address) === family)
      .slice(0, 2)
      .map((address) => ({ address, family })),
  )
  const socket: net.Socket = net.connect(
    {
      host: target.hostname,
      port: Number(target.port || 443),
      lookup: (_name, { all }, give) => {
        if (all) give(null, choice)
        else give(null, choice[0]!.address, choice[0]!.family)
      },
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: 1_000,
    },
    () => onConnect(socket.remoteAddress),
  )
  return socket
}

function withDefaultRoots(ca: string | string[]): string[] {
  return [...tls.getCACertificates('default'), ...[ca].flat()]
}
