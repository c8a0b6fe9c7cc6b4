// Dialogs of actions and questions. Without a script, an action unfolds in its place, and a question is a page.
import { isUnsaved, unmark } from './savebar.ts'

/** An unfolded action becomes a modal dialog; a closed one forgets its input. */
function openAction({ target }: { target: unknown }): void {
  const dialog = (target as Element).querySelector<HTMLDialogElement>(':scope.act[open] > dialog:not(:modal)')
  if (!dialog) return
  for (const note of dialog.querySelectorAll<HTMLElement>('[data-unsaved]')) note.hidden = !isUnsaved()
  dialog.open = false
  dialog.showModal()
}

addEventListener('toggle', openAction, true)
for (const target of document.querySelectorAll('.act[open]')) openAction({ target })

addEventListener(
  'close',
  ({ target }) => {
    const dialog = target as HTMLDialogElement
    const action = dialog.closest?.<HTMLDetailsElement>('details.act')
    if (!action) return
    action.open = false
    for (const form of dialog.querySelectorAll('form')) {
      form.reset()
      unmark(form)
    }
  },
  true,
)

addEventListener('click', (event) => {
  const link = (event.target as Element).closest?.('dialog [data-close]')
  if (!link) return
  event.preventDefault()
  link.closest('dialog')!.close()
})

/** Closes the dialogs of the screen; the focus returns to the buttons that opened them. */
export function closeDialogs(): void {
  for (const dialog of [...document.querySelectorAll<HTMLDialogElement>('main dialog[open]')].toReversed())
    dialog.close()
}

/** Shows the question of a page as a dialog above the current one. False: the page has none. */
export function ask(text: string): boolean {
  const fresh = new DOMParser().parseFromString(text, 'text/html')
  const question = fresh.querySelector('[data-ask]')
  if (!question) return false
  const dialog = document.createElement('dialog')
  const title = document.createElement('h2')
  title.textContent = dialog.ariaLabel = fresh.querySelector('#title')!.textContent
  dialog.append(title, ...question.childNodes)
  dialog.addEventListener('close', () => dialog.remove())
  document.getElementById('main')!.append(dialog)
  dialog.showModal()
  return true
}
