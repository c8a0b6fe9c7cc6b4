// Marks forms with unsaved input, and offers to discard it.

/** Forms with something unsaved. */
export const unsaved = new Set<Element>()

export const isUnsaved = () => [...unsaved].some((form) => form.isConnected)

addEventListener('input', ({ target }) => {
  const { form, classList } = target as HTMLInputElement
  // Showing more columns changes nothing.
  if (form && 'guard' in form.dataset && !classList.contains('show-more')) mark(form)
})

addEventListener('beforeunload', (event) => {
  if (isUnsaved()) event.preventDefault()
})

export function mark(form: HTMLFormElement): void {
  unsaved.add(form)
  if ('saves' in form.dataset) showBar(form)
}

export function unmark(form: Element): void {
  unsaved.delete(form)
  hideBar(form)
}

function showBar(form: HTMLFormElement): void {
  const place = form.querySelector('.send')
  if (!place || place.classList.contains('unsaved')) return
  const more = document.querySelector<HTMLTemplateElement>('#unsaved')!.content.cloneNode(true) as DocumentFragment
  const [text, discard] = more.children
  place.prepend(text!, discard!)
  place.classList.add('unsaved')
}

function hideBar(form: Element): void {
  const place = form.querySelector('.send.unsaved')
  if (!place) return
  place.classList.remove('unsaved')
  for (const added of place.querySelectorAll(':scope > [role=status], [data-discard]')) added.remove()
}

export function mayLeave(): boolean {
  if (!isUnsaved()) return true
  const isSure = confirm(document.getElementById('guarding')!.dataset.text)
  if (isSure) for (const form of unsaved) unmark(form)
  return isSure
}
