// Turns of phrase that the tidy test rejects, each with a better one, and the prose that it reads.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

type Phrase = [phrase: RegExp, better: string]

// In docs, messages, comments and strings.
// prettier-ignore
const everywhere: Phrase[] = [
  [/\bstands? (?:here|there|in (?:its|their) place)\b/i,      'appears here'],
  [/\bunless (?:given|chosen|told|you say)\b/i,               'Defaults to …'],
  [/\bwhoever\b/i,                                            'anyone who'],
  [/\bsomebody\b/i,                                           'someone'],
  [/\b(?:to|for|of|by|with) who\b/i,                          'to people who'],
  [/\b(?<!there )is no (?!longer|more|less|later|such|other|need)[a-z]/i, 'is not a'],
  [/\bhas none of\b/i,                                        'has no'],
  [/(?:^|[.;:] )Else,? [a-z]/,                                'Otherwise,'],
  [/\bso many\b/i,                                            'up to this many'],
  [/\be-mail/i,                                               'email'],
  [/\bswitch(?:ed|es)? (?:it |them )?(?:on|off)\b/i,          'enable, disable, On, Off'],
  [/\ball the same\b/i,                                       'anyway'],
  [/\banew\b/i,                                               'again'],
  [/\bfor ever\b/i,                                           'forever'],
  [/\bbe had\b/i,                                             'is available'],
  [/\bbe (?:taken|brought) back\b/i,                          'be undone'],
  [/\bmoney (?:has |have )?(?:goes|gone|went|go|comes|came) back\b/i, 'the refund'],
  [/\blets? (?:it |them )?go\b/i,                             'release, void'],
]

// In docs and messages; code has names such as `pieces` and `letters`.
// prettier-ignore
const onPages: Phrase[] = [
  [/\bparcels?\b/i,                                          'shipment'],
  [/\bunder way\b/i,                                         'in progress'],
  [/\b(?:colour|fulfils?\b|catalogue|behaviour|favourite|licence|centre\b)/i, 'American spelling'],
  [/\bpieces?\b/i,                                            'item, unit'],
  [/\bpictures?\b/i,                                          'image'],
  [/\b(?:the|this|each|every) letter\b|^Letters?\b/i,         'email'],
  [/\bmails\b|\bmail\b(?! (?:server|relay|client))/,         'email'],
]

// In messages.
// prettier-ignore
const inMessages: Phrase[] = [
  [/^(?:Add|Change|Create|Delete|Edit|Remove|Save|Send) the [a-z ]+$/, 'verb and noun, such as “Create product”'],
  [/^The [a-z ]+ (?:is|are) [a-z]+\.$/,                       'noun and participle, such as “Product created”'],
  [/\b(?:cannot|does not|do not|is not|are not|did not|will not)\b/, 'a contraction, such as “can’t”'],
  [/\be\.g\./,                                                'for example'],
]

// The terms of six languages.
const otherLanguages = ['docs/contributing/terms.md']

type Prose = { at: string; text: string; phrases: readonly Phrase[] }

/** Every turn of phrase of the tree: file, line, the words, and a better phrase. */
export function phrasesIn(root: string): string[] {
  return proseIn(root).flatMap(({ at, text, phrases }) =>
    phrases.flatMap(([phrase, better]) => {
      const [found] = phrase.exec(text) ?? []
      return found === undefined ? [] : [`${at}: “${found.trim()}” → ${better}`]
    }),
  )
}

function proseIn(root: string): Prose[] {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const documents = globSync(['*.md', '{docs,bench,src}/**/*.md'], { cwd: root, exclude: otherLanguages })
  const messages = globSync('languages/en/*.json', { cwd: root })
  const programs = globSync('src/**/*.ts', { cwd: root }).filter((file) => !/\.(test|d)\.ts$/.test(file))
  return [
    ...documents.flatMap((file) => linesOf(file, withoutCode(read(file)), [...everywhere, ...onPages])),
    ...messages.flatMap((file) => messagesOf(file, read(file))),
    ...programs.flatMap((file) => wordsOf(file, read(file))),
  ]
}

function linesOf(file: string, text: string, phrases: readonly Phrase[], first = 1): Prose[] {
  return text.split('\n').map((line, index) => ({ at: `${file}:${first + index}`, text: line, phrases }))
}

/** Blanks out fenced blocks, inline code and the targets of links. */
function withoutCode(text: string): string {
  const blank = (code: string) => code.replace(/[^\n]/g, ' ')
  return text.replace(/^```[^]*?^```/gm, blank).replace(/`[^`]*`|\]\([^)\s]*\)/g, blank)
}

function messagesOf(file: string, text: string): Prose[] {
  const phrases = [...everywhere, ...onPages, ...inMessages]
  return text.split('\n').flatMap((line, index) => {
    const [, message] = /^\s*"[^"]+": (".*"),?$/.exec(line) ?? []
    return message === undefined ? [] : [{ at: `${file}:${index + 1}`, text: JSON.parse(message), phrases }]
  })
}

/** Comments, and strings of several words. */
function wordsOf(file: string, text: string): Prose[] {
  const { comments, program } = parseSync(file, text)
  const words = comments.map(({ value, start }) => ({ value, start }))
  const take = (value: string, start: number) => / /.test(value) && words.push({ value, start })
  new Visitor({
    Literal: ({ value, start }) => void (typeof value === 'string' && take(value, start)),
    TemplateElement: ({ value, start }) => void take(value.raw, start),
  }).visit(program)
  return words.flatMap(({ value, start }) => linesOf(file, value, everywhere, text.slice(0, start).split('\n').length))
}
