// The navigation: the sections, and below the open one its lines, grouped if there are many.
import { html } from 'hono/html'
import { mayUse } from '../../identity/accounts/roles.ts'
import { attributes } from '../../platform/pages/parts.ts'
import { sections, type Html, type Screen, type Section, type PageContext } from './screen.ts'
import { icon } from './icons.ts'
import { panel } from './parts.ts'
import type { MessageKey } from './messages.ts'

type CurrentScreen = Pick<Screen, 'path' | 'section'>

/** The settings replace the sections, with a link back above them, because they have many lines. */
export function navigation(context: PageContext, here: CurrentScreen): Html {
  const { t, base } = context
  const menu = here.section === 'settings' ? settingsLines(context, here) : sectionLines(context, here)
  const back = html`<p class="up"><a href="${base}" aria-label="${t('back_to', { place: t('home') })}">
${icon('back')} ${t('home')}</a></p>`
  return html`<nav aria-label="${t('navigation')}">${here.section === 'settings' ? back : ''}<ul>${menu}</ul></nav>`
}

/** A section links to its first screen. Its other screens are listed below it while it is open. */
function sectionLines(context: PageContext, here: CurrentScreen): Html[] {
  const { t, base } = context
  return sections.flatMap((section) => {
    const inside = screensIn(context, section)
    const [first] = inside
    if (!first) return []
    const lines = section === here.section ? inside.filter(({ nav }) => nav) : []
    const line = matchActiveScreen(lines, here)
    const isCurrent = section === here.section && (!line || first.path === here.path) && !first.nav
    const about = { class: section === here.section && 'open', 'aria-current': isCurrent && currentAs(first, here) }
    const below = groupLines(lines).map((group) => groupLinks(context, group, here, line))
    return html`<li><a href="${base}${first.path}"${attributes(about)}>${icon(section)} ${t(section)}</a>
${below.length > 0 ? html`<ul>${below}</ul>` : ''}</li>`
  })
}

function settingsLines(context: PageContext, here: CurrentScreen): Html {
  const { t, base } = context
  const inside = screensIn(context, 'settings')
  const lines = inside.filter(({ nav }) => nav)
  const line = matchActiveScreen(lines, here)
  const first = inside.find(({ path }) => path === '/settings')
  const about = { class: 'open', 'aria-current': !line && first && currentAs(first, here) }
  const groups = groupLines(lines).map((group) => groupLinks(context, group, here, line))
  return html`<li><a href="${base}/settings"${attributes(about)}>${icon('settings')} ${t('settings')}</a></li>${groups}`
}

/** The screens of the section that this role can open. */
function screensIn({ role, screens }: PageContext, section: Section): Screen[] {
  return screens.filter(
    (screen) => !screen.path.includes('{') && screen.section === section && mayUse(role, screen.scope),
  )
}

/** The line of a screen, or of its parent. */
function matchActiveScreen(lines: readonly Screen[], { path }: CurrentScreen): Screen | undefined {
  const above = lines.filter((line) => path === line.path || path.startsWith(`${line.path}/`))
  return above.sort((a, b) => b.path.length - a.path.length)[0]
}

const currentAs = ({ path }: Screen, here: CurrentScreen) => (path === here.path ? 'page' : 'true')

type NavigationGroup<P> = { name: MessageKey | undefined; lines: P[] }

/** A group has the position of its first line. */
function groupLines<P extends Pick<Screen, 'nav'>>(lines: readonly P[]): NavigationGroup<P>[] {
  const groups: NavigationGroup<P>[] = []
  for (const line of lines) {
    const name = line.nav?.group
    const group = groups.find((group) => group.name === name)
    if (group) group.lines.push(line)
    else groups.push({ name, lines: [line] })
  }
  return groups
}

function groupLinks(
  { t, base }: PageContext,
  { name, lines }: NavigationGroup<Screen>,
  here: CurrentScreen,
  current?: Screen,
): Html {
  const links = lines.map((line) => {
    const about = { 'aria-current': line === current && currentAs(line, here) }
    return html`<li><a href="${base}${line.path}"${attributes(about)}>${t(line.nav!.title ?? line.title)}</a></li>`
  })
  return name ? html`<li><p>${t(name)}</p><ul>${links}</ul></li>` : html`${links}`
}

/** A destination outside the dashboard. */
export type NavigationLink = Pick<Screen, 'title' | 'nav'> & { href: (context: PageContext) => string }

/** Lists all lines of a section with their descriptions. */
export function overview(context: PageContext, section: Section, links: readonly NavigationLink[] = []): Html {
  const { t, base } = context
  const own = screensIn(context, section).filter(({ nav }) => nav)
  const lines = [...own.map((screen) => ({ ...screen, href: () => base + screen.path })), ...links]
  const groups = groupLines(lines).map(({ name, lines: all }) => {
    const items = all.map(
      ({ title, nav, href }) => html`<li>${icon(nav!.icon ?? 'page')}<div>
<a href="${href(context)}"><strong>${t(nav!.title ?? title)}</strong></a>
<span class="hint">${nav!.text ? t(nav!.text) : ''}</span></div></li>`,
    )
    return panel(t(name ?? section), html`<ul class="places">${items}</ul>`)
  })
  return html`${groups}`
}
