import ipaddr from 'ipaddr.js'

/** Who counts as one: an address of IPv4, of IPv6 the /64 that one subscriber has as a whole. */
export function addressBlock(ip: string): string {
  if (!ip.includes(':') || !ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  return (address as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')
}
