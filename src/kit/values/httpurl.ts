import { invalid } from './errors.ts'
import { fault, generalFaults } from './faults.ts'

/** The value of the option, unless it is not an http or https URL. */
export function requireHttpUrl(option: string, url: string): string {
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url
  throw invalid(fault(option, generalFaults.no_web_address))
}
