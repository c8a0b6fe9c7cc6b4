// Whether a regular expression looks at a text once. One that starts again at each character, or that tries several
// ways to divide the same characters, can cost the square of what a stranger sends.
import { RegExpParser, type AST } from '@eslint-community/regexpp'
import { parseSync, Visitor } from 'oxc-parser'
import { analyse } from 'scslre'

type Found = { at: string; pattern: string; flags: string }

/** The literals of a file. */
export function literalsIn(file: string, text: string): Found[] {
  const found: Found[] = []
  const { program } = parseSync(file, text)
  new Visitor({
    Literal(node) {
      if (!('regex' in node)) return
      const { pattern, flags } = node.regex
      found.push({ at: `${file}:${text.slice(0, node.start).split('\n').length} /${pattern}/${flags}`, pattern, flags })
    },
  }).visit(program)
  return found
}

export function isLinear({ pattern, flags }: Pick<Found, 'pattern' | 'flags'>): boolean {
  const { pattern: tree } = new RegExpParser().parseLiteral(`/${pattern}/${flags}`)
  const restarts = !flags.includes('y') && tree.alternatives.some((one) => restartsIn(one, flags))
  return !restarts && analyse({ source: pattern, flags }).reports.length === 0
}

/**
 * An endless part that something has to follow: where that is missing, the search goes to the end of the text and
 * begins again at the next character. A search that can begin in one place only does not, and neither does one that
 * begins at a character which the part does not take.
 */
function restartsIn({ elements }: AST.Alternative, flags: string): boolean {
  const [first] = elements.filter((element) => element.type !== 'Assertion' || element.kind !== 'word')
  if (!first || isAnchor(first, flags)) return false
  return elements.some((element, index) => endlessIn(element, index === elements.length - 1, first, flags))
}

function isAnchor(element: AST.Element, flags: string): boolean {
  if (element.type !== 'Assertion') return false
  return element.kind === 'lookbehind' || (element.kind === 'start' && !flags.includes('m'))
}

function endlessIn(element: AST.Element, isLast: boolean, first: AST.Element, flags: string): boolean {
  switch (element.type) {
    case 'Quantifier':
      if (element.max === Infinity && !isLast) return takes(element.element, first, flags)
      return endlessIn(element.element, element.max === 1 && isLast, first, flags)
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives.some(({ elements }) =>
        elements.some((inner, index) => endlessIn(inner, isLast && index === elements.length - 1, first, flags)),
      )
    default:
      return false
  }
}

function takes(part: AST.Element, first: AST.Element, flags: string): boolean {
  if (first.type !== 'Character') return true
  return new RegExp(`^(?:${part.raw})$`, flags.replace('g', '')).test(String.fromCodePoint(first.value))
}
