// Allowed targets of a merchant's links, and allowed sources of pictures.
import { text } from '../../kit/declare/scalars.ts'
import { reason } from '../../kit/values/faults.ts'
import { isUploaded } from '../../commerce/media/picture.ts'
import { brandingFaults } from './errors.ts'
import { addressFaults } from '../../platform/outbound/errors.ts'

/** A path of the shop, or an external URL. */
export const link = () =>
  text({ min: 1, max: 2048 })
    .rule((address) => (isLink(address) ? null : reason(brandingFaults.no_link)))
    .example('/pages/about')

/** False for links that run code or can be read in two ways. */
export function isLink(address: string): boolean {
  if (!isUnambiguous(address)) return false
  return (/^(mailto:[^/?#]+@|tel:\+?\d)/i.test(address) && URL.canParse(address)) || isPageAddress(address)
}

/** A path of the shop, which begins with one slash, or an https address. */
export function isPageAddress(address: string): boolean {
  return isUnambiguous(address) && (address.startsWith('/') ? !address.startsWith('//') : isHttps(address))
}

function isUnambiguous(address: string): boolean {
  return !/[\s\p{Cc}\\]/u.test(address)
}

/** An image that the pages' policy allows: uploaded here, over https, or from a server on this machine. */
export const pictureUrl = () =>
  text({ min: 1, max: 2048 })
    .rule((address) => (isUploaded(address) || isPicture(address) ? null : reason(addressFaults.not_https)))
    .example('https://images.example/logo.png')

export const httpsUrl = () =>
  text({ min: 1, max: 2048 })
    .rule((address) => (isHttps(address) ? null : reason(addressFaults.not_https)))
    .example('https://social.example/corner-shop')

export function isPicture(address: string): boolean {
  return isHttps(address) || isLocal(address)
}

function isHttps(address: string): boolean {
  return /^https:\/\/[^\s/\\]/i.test(address) && isPlainUrl(address)
}

function isLocal(address: string): boolean {
  return /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/i.test(address) && isPlainUrl(address)
}

function isPlainUrl(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && url.username === '' && url.password === ''
}

/** The full address on a site whose paths begin with `root`. */
export function resolveSiteAddress(root: string, address: string): string {
  return address.startsWith('/') ? root + address : address
}
