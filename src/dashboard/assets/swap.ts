// Exchanges only the changed parts of the page. The others keep focus, scroll position and open details.
import { loadElements } from './lazy.ts'
import { keepOpen } from './part.ts'

// The address has changed already when the first page is exchanged.
document.body.dataset.path ??= location.pathname

/** True if the path changed. */
export function apply(text: string, url: URL, unsaved: ReadonlySet<Node>): boolean {
  const fresh = new DOMParser().parseFromString(text, 'text/html')
  const before = document.body.dataset.path
  const isOther = before !== url.pathname
  document.body.dataset.path = url.pathname
  fresh.body.dataset.path = url.pathname
  document.title = fresh.title
  for (const open of document.querySelectorAll<HTMLElement>(':popover-open')) open.hidePopover()
  const trail = listAncestors(document.activeElement!)
  // A modal dialog would keep the focus from the page below it.
  if (isOther) for (const dialog of document.querySelectorAll<HTMLDialogElement>('dialog[open]')) dialog.close()
  // Opened parts do not exist on another screen.
  if (isOther) for (const open of document.querySelectorAll('main details[open]')) open.removeAttribute('open')
  Idiomorph.morph(document.body, fresh.body, {
    morphStyle: 'outerHTML',
    restoreFocus: true,
    // The input in one form survives the submission of another.
    callbacks: {
      beforeNodeMorphed: (old: Node, fresh: Node) => (isOther || !unsaved.has(old)) && keepOpen(old, fresh),
    },
  })
  // The same message again is news too, so it appears again.
  const said = document.querySelector('#said .done')
  said?.replaceWith(said.cloneNode(true))
  loadElements()
  // Elements re-apply their additions.
  for (const element of document.querySelectorAll<Element & { update?: () => void }>('main *')) element.update?.()
  const spoken = document.getElementById('spoken')!
  const news = document.querySelector('#said .notice, main [role=alert]')?.textContent?.trim()
  spoken.textContent = news || (isOther ? document.title : '')
  const wrong = firstWrong()
  const first = isOther ? document.querySelector<HTMLElement>('main textarea[autofocus]') : null
  if (!wrong && first) first.focus()
  else if (wrong) {
    wrong.focus({ preventScroll: true })
    wrong.scrollIntoView({ block: 'center' })
  } else if (isOther || (trail.length > 0 && document.activeElement === document.body)) {
    // The pressed button may be gone. Tab goes on from where it was.
    const place = isOther ? null : trail.find((element) => element.isConnected && element.closest('main'))
    focusPlace(place ?? document.getElementById('main')!)
  }
  return isOther
}

/** The element and what contains it, up to the body. */
function listAncestors(element: Element): HTMLElement[] {
  const parent = element.parentElement
  return parent && element !== document.body ? [element as HTMLElement, ...listAncestors(parent)] : []
}

function focusPlace(place: HTMLElement): void {
  place.tabIndex = -1
  place.focus({ preventScroll: true })
}

/** The first rejected input, the first one that someone else changed, or the message. */
function firstWrong(): HTMLElement | null {
  const invalid = document.querySelector<HTMLElement>('main [aria-invalid][autofocus]')
  if (invalid) return invalid
  const changed = document.querySelector('main .changed')?.closest('.field')
  const input = changed?.querySelector<HTMLElement>('input, select, textarea')
  if (input) return input
  const alert = document.querySelector<HTMLElement>('main form > .notice.error')
  if (alert) alert.tabIndex = -1
  return alert
}

export function note(id: 'offline' | 'ended', isShown: boolean): void {
  const element = document.getElementById(id)
  if (element) element.hidden = !isShown
}
