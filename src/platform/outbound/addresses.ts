// Decides to which addresses a stranger's URL may lead: the public internet, and the networks in
// WEBHOOK_ALLOWED_NETWORKS.
import net from 'node:net'
import ipaddr from 'ipaddr.js'
import { reason, type Reason } from '../../kit/values/faults.ts'
import { addressFaults } from './errors.ts'

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6
export type Network = { base: IpAddress; bits: number }

export const notPublic = reason(addressFaults.not_public)

const maxUrlLength = 2_048

/** Returns null if the URL may be registered, else the reason. Names are not resolved here. */
export function refuseUrl(url: string, allowedNetworks: readonly Network[]): Reason | null {
  if (url.length > maxUrlLength) return reason(addressFaults.url_too_long, { limit: '2,048' })
  if (!/^https:\/\//i.test(url)) return reason(addressFaults.not_https)
  // The parser accepts these, and then calls another address than the one that the merchant reads.
  if (/[\s\p{Cc}\\]/u.test(url)) return reason(addressFaults.url_has_spaces)
  if (/^https:\/\/[^/?#]*@/i.test(url)) return reason(addressFaults.url_has_credentials)
  if (url.includes('#')) return reason(addressFaults.url_has_fragment)
  const target = URL.parse(url)
  if (!target) return reason(addressFaults.no_url)
  const addresses = ownAddresses(target.hostname)
  if (addresses && !addresses.some((address) => isAllowed(address, allowedNetworks))) return notPublic
  return null
}

/** The addresses of a host that needs no resolver (a literal, `localhost`), null for other names. */
export function ownAddresses(hostname: string): string[] | null {
  const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  if (net.isIP(literal)) return [literal]
  // RFC 6761 §6.3: localhost and the names below it are the loopback, whatever a resolver or /etc/hosts say.
  if (/(^|\.)localhost\.?$/.test(hostname)) return ['127.0.0.1', '::1']
  return null
}

export function isAllowed(address: string, allowedNetworks: readonly Network[]): boolean {
  if (!net.isIP(address)) return false
  const ip = ipaddr.process(address)
  return isPublic(ip) || allowedNetworks.some((network) => contains(network, ip))
}

const publicIPv6 = ipaddr.IPv6.parse('2000::')
// Azure's own host answers at this address, although it is a public one.
const azureHost = '168.63.129.16'

// `range()` knows 6to4, Teredo, documentation and the other special blocks below 2000::/3, but takes all other unlisted
// addresses for public, e.g. ::7f00:1 (IPv4-compatible loopback).
function isPublic(address: IpAddress): boolean {
  if (address.range() !== 'unicast') return false
  if (address.kind() === 'ipv6') return (address as ipaddr.IPv6).match(publicIPv6, 3)
  return address.toString() !== azureHost
}

function contains(network: Network, address: IpAddress): boolean {
  return network.base.kind() === address.kind() && address.match(network.base as never, network.bits)
}

/** WEBHOOK_ALLOWED_NETWORKS: networks in CIDR form or single addresses, with commas or spaces between them. */
export function parseNetworks(list: string): Network[] {
  return list
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(parseNetwork)
}

function parseNetwork(entry: string): Network {
  const [address = '', prefix, ...rest] = entry.split('/')
  const version = net.isIP(address)
  const maxBits = version === 4 ? 32 : 128
  const bits = prefix === undefined ? maxBits : Number(prefix)
  const isCidr =
    version !== 0 &&
    !address.includes('%') &&
    rest.length === 0 &&
    bits <= maxBits &&
    (prefix === undefined || /^\d+$/.test(prefix))
  if (!isCidr) throw new Error(`"${entry}" is not a network such as 10.0.0.0/8, fd00::/8 or 127.0.0.1`)
  const base = ipaddr.parse(address)
  if (base.range() === 'ipv4Mapped')
    throw new Error(`"${entry}" is an IPv4 network and must be written like 10.0.0.0/8`)
  return { base, bits }
}
