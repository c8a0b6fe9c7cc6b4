// Makes the dashboard feel like one program: links and forms exchange what has changed. All works without it.
import './elements.ts'
import { loadElements } from './lazy.ts'
import './palette.ts'
import './passkeys.ts'
import './tokens.ts'
import { ask, closeDialogs } from './dialogs.ts'
import { fetchPage, forget, prefetch, type Fetched } from './pages.ts'
import { isUnsaved, mark, mayLeave, unmark, unsaved } from './savebar.ts'
import { apply, note } from './swap.ts'

const isOurs = (url: URL) =>
  url.origin === location.origin && url.pathname.startsWith(location.pathname.split('/').slice(0, 3).join('/'))

const isFile = ({ pathname }: URL) => /\.(csv|xlsx)$/.test(pathname)

addEventListener('click', (event) => {
  const link = (event.target as Element).closest?.('a')
  if (!link || event.defaultPrevented || event.button !== 0) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const url = new URL(link.href)
  if (link.target || link.hasAttribute('download') || !isOurs(url) || isFile(url)) return
  if (url.pathname === location.pathname && url.search === location.search && url.hash) return
  event.preventDefault()
  if (mayLeave()) void visit(url)
})

addEventListener('pointerover', ({ target }) => {
  const link = (target as Element).closest?.('a')
  if (link && !link.target && !link.hasAttribute('download')) {
    const url = new URL(link.href)
    if (isOurs(url) && !isFile(url)) prefetch(url)
  }
})

addEventListener('click', ({ target }) => {
  const button = (target as Element).closest?.('[data-discard]')
  if (!button) return
  // The page as it is saved: also rows that a script has added are gone.
  unmark(button.closest('form')!)
  void visit(new URL(location.href), 'none')
})

// A search runs while it is typed, and the choice of a filter at once. Texts and days wait for Enter or the button, and
// so does a search that would replace unsaved input.
const typingMs = 300
let typing = 0

addEventListener('input', ({ target }) => {
  const search = target as HTMLInputElement
  if (!search.matches('[data-find] > .searchline > [type=search]') || isUnsaved()) return
  clearTimeout(typing)
  typing = setTimeout(() => void find(search), typingMs)
})

addEventListener('change', ({ target }) => {
  const input = target as HTMLInputElement
  if (input.matches('[data-find] :is(select, [type=radio], [type=checkbox])')) input.form!.requestSubmit()
})

async function find(search: HTMLInputElement): Promise<void> {
  const { value } = search
  const page = await fetchPage(toQueryUrl(new URL(search.form!.action), new FormData(search.form!)))
  // What was typed meanwhile is searched for next.
  if (page && value === search.value) show(page, 'replace')
}

function toQueryUrl(url: URL, data: FormData): URL {
  const fields = [...data].filter((pair): pair is [string, string] => typeof pair[1] === 'string' && pair[1] !== '')
  url.search = new URLSearchParams(fields).toString()
  return url
}

// A click elsewhere or Escape closes what the filters have opened.
addEventListener('click', ({ target }) => {
  for (const open of document.querySelectorAll<HTMLDetailsElement>('.filters[open]'))
    if (!open.contains(target as Node)) open.open = false
})

addEventListener('keydown', ({ key, target }) => {
  const open = key === 'Escape' && (target as Element).closest?.<HTMLDetailsElement>('.filters[open]')
  if (!open) return
  open.open = false
  open.querySelector('summary')!.focus()
})

addEventListener('submit', (event) => {
  clearTimeout(typing)
  const form = event.target as HTMLFormElement
  if (event.defaultPrevented || 'whole' in form.dataset || event.submitter?.hasAttribute('formtarget')) return
  // A button may say for itself where it leads and how.
  const button = event.submitter as HTMLButtonElement | null
  const url = new URL(button?.hasAttribute('formaction') ? button.formAction : form.action)
  const method = button?.hasAttribute('formmethod') ? button.formMethod : form.method
  if (!isOurs(url)) return
  event.preventDefault()
  const data = new FormData(form, event.submitter)
  if (method === 'get') return void (mayLeave() && visit(toQueryUrl(url, data)))
  const fields = [...data].filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  const body = form.enctype === 'multipart/form-data' ? data : new URLSearchParams(fields)
  // Ignores a second click while the first is in progress.
  if (form.ariaBusy === 'true' || ('leaves' in form.dataset && !mayLeave())) return
  form.ariaBusy = 'true'
  void send(form, url, body)
})

async function visit(url: URL, how: 'push' | 'none' = 'push'): Promise<void> {
  const page = await fetchPage(url)
  // The same address again is one step back, not two.
  if (page) show(page, how === 'push' && page.url.href === location.href ? 'replace' : how)
}

async function send(form: HTMLFormElement, url: URL, body: URLSearchParams | FormData): Promise<void> {
  const page = await fetchPage(url, body)
  form.ariaBusy = null
  if (!page) return
  if (ask(page.text)) return
  forget()
  unmark(form)
  if (page.status < 400) closeDialogs()
  show(page, page.url.href === location.href || page.status >= 400 ? 'replace' : 'push')
  // The rejected input is still in the fields.
  if (page.status >= 400 && 'guard' in form.dataset) mark(form)
}

function show(page: Fetched, how: 'push' | 'replace' | 'none'): void {
  if (how === 'push') {
    history.replaceState({ place, top: scrollY }, '')
    history.pushState({ place: ++place, top: 0 }, '', page.url)
  }
  if (how === 'replace' && page.status < 400) history.replaceState({ place, top: scrollY }, '', page.url)
  const isOther = apply(page.text, page.url, unsaved)
  if (isOther) unsaved.clear()
  if (isOther && how === 'push') scrollTo(0, 0)
}

/** The position of a history entry, and the scroll position of its page. */
type Entry = { place: number; top?: number }

let place = (history.state as Entry | null)?.place ?? 0
history.replaceState({ ...history.state, place }, '')

addEventListener('popstate', async ({ state }) => {
  const entry = state as Entry | null
  // A link within the page has made the entry: nothing else is shown.
  if (!entry) return history.replaceState({ place: ++place, top: scrollY }, '')
  const from = place
  if (entry.place === from) return
  // The browser has moved already: to stay is to go back to where the unsaved form is.
  if (!mayLeave()) return history.go(from - entry.place)
  place = entry.place
  await visit(new URL(location.href), 'none')
  scrollTo(0, entry.top ?? 0)
})

// What is pasted fills the rows at once, as its button would.
addEventListener('paste', ({ target }) => {
  const area = target as HTMLTextAreaElement
  const { fills } = area.dataset
  if (fills) setTimeout(() => area.form!.requestSubmit(area.form!.querySelector<HTMLButtonElement>(`[name=${fills}]`)))
})

addEventListener('online', () => note('offline', false))

// A file that is too large is not sent to be told so.
addEventListener('change', ({ target }) => {
  const input = target as HTMLInputElement
  const { most, tooLarge = '' } = input.dataset
  if (most) input.setCustomValidity([...input.files!].some(({ size }) => size > Number(most)) ? tooLarge : '')
})
loadElements()
