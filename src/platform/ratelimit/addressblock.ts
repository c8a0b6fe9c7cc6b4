import ipaddr from 'ipaddr.js'

/** The addresses that count as one client: an IPv4 address, or the /64 of an IPv6 subscriber. */
export function addressBlock(ip: string): string {
  return truncateAddress(ip, 4)
}

/** The /48 of an IPv6 site, which one person can own: used where a limit would lock others out. */
export function siteBlock(ip: string): string {
  return truncateAddress(ip, 3)
}

function truncateAddress(ip: string, parts: number): string {
  if (!ip.includes(':') || !ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  return (address as ipaddr.IPv6).parts
    .slice(0, parts)
    .map((part) => part.toString(16))
    .join(':')
}
