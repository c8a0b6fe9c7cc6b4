// XML as a strict parser reads it.
import { DOMParser, onErrorStopParsing, type Element } from '@xmldom/xmldom'

/** The root element; throws at what is not well-formed. */
export function parseXml(text: string): Element {
  return new DOMParser({ onError: onErrorStopParsing }).parseFromString(text, 'text/xml').documentElement!
}

export function elementsOf(within: Element, name: string): Element[] {
  return [...within.getElementsByTagName(name)]
}

/** The texts of all elements of that name, in their order. */
export function textsOf(within: Element, name: string): string[] {
  return elementsOf(within, name).map(({ textContent }) => textContent ?? '')
}
