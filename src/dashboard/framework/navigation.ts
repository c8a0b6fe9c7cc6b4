// The way between the screens: the sections, and below the one that is open its lines, by groups where it has many.
import { html } from 'hono/html'
import { mayUse } from '../../identity/accounts/roles.ts'
import { attributes } from '../../platform/pages/parts.ts'
import { sections, type Html, type Screen, type Section, type Visit } from './page.ts'
import { panel } from './parts.ts'
import type { Word } from './words.ts'

type Here = Pick<Screen, 'path' | 'section'>

/** A section leads to its first screen; those of its screens that have a line stand below it while it is open. */
export function navigation(visit: Visit, here: Here): Html {
  const { say, base } = visit
  const links = sections.flatMap((section) => {
    const inside = screensIn(visit, section)
    const [first] = inside
    if (!first) return []
    const lines = section === here.section ? inside.filter(({ nav }) => nav) : []
    const line = lineOf(lines, here)
    const isCurrent = section === here.section && (!line || first.path === here.path) && !first.nav
    const about = { class: section === here.section && 'open', 'aria-current': isCurrent && currentAs(first, here) }
    const below = grouped(lines).map((group) => drawGroup(visit, group, here, line))
    return html`<li><a href="${base}${first.path}"${attributes(about)}>${say(section)}</a>
${below.length > 0 ? html`<ul>${below}</ul>` : ''}</li>`
  })
  return html`<nav aria-label="${say('navigation')}"><ul>${links}</ul></nav>`
}

/** What somebody of this role may open of it. */
function screensIn({ role, screens }: Visit, section: Section): Screen[] {
  return screens.filter(
    (screen) => !screen.path.includes('{') && screen.section === section && mayUse(role, screen.scope),
  )
}

/** The line of a screen, or of the screen that it is a part of. */
function lineOf(lines: readonly Screen[], { path }: Here): Screen | undefined {
  const above = lines.filter((line) => path === line.path || path.startsWith(`${line.path}/`))
  return above.sort((a, b) => b.path.length - a.path.length)[0]
}

const currentAs = ({ path }: Screen, here: Here) => (path === here.path ? 'page' : 'true')

type Group<P> = { name: Word | undefined; lines: P[] }

/** A group stands where its first line does. */
function grouped<P extends Pick<Screen, 'nav'>>(lines: readonly P[]): Group<P>[] {
  const groups: Group<P>[] = []
  for (const line of lines) {
    const name = line.nav?.group
    const group = groups.find((group) => group.name === name)
    if (group) group.lines.push(line)
    else groups.push({ name, lines: [line] })
  }
  return groups
}

function drawGroup({ say, base }: Visit, { name, lines }: Group<Screen>, here: Here, current?: Screen): Html {
  const links = lines.map((line) => {
    const about = { 'aria-current': line === current && currentAs(line, here) }
    return html`<li><a href="${base}${line.path}"${attributes(about)}>${say(line.nav!.title ?? line.title)}</a></li>`
  })
  return name ? html`<li><p>${say(name)}</p><ul>${links}</ul></li>` : html`${links}`
}

/** A place that is no screen of the dashboard. */
export type Elsewhere = Pick<Screen, 'title' | 'nav'> & { href: (visit: Visit) => string }

/** All lines of a section, each with what it is for. */
export function overview(visit: Visit, section: Section, elsewhere: readonly Elsewhere[] = []): Html {
  const { say, base } = visit
  const own = screensIn(visit, section).filter(({ nav }) => nav)
  const lines = [...own.map((screen) => ({ ...screen, href: () => base + screen.path })), ...elsewhere]
  const drawn = grouped(lines).map(({ name, lines: all }) => {
    const items = all.map(
      ({ title, nav, href }) => html`<li><a href="${href(visit)}"><strong>${say(nav!.title ?? title)}</strong></a>
<span class="hint">${nav!.text ? say(nav!.text) : ''}</span></li>`,
    )
    return panel(say(name ?? section), html`<ul class="places">${items}</ul>`)
  })
  return html`${drawn}`
}
