// The image of a variant, chosen from the product's images in a dialog.

/** Replaces the URL field by a button with the image. */
export function showPicture(row: HTMLElement): void {
  const field = row.querySelector<HTMLInputElement>('[name$=".image"]')!
  let button = field.parentElement!.querySelector('button')
  if (!button) {
    button = document.createElement('button')
    button.type = 'button'
    button.className = 'picture'
    button.dataset.do = 'picture'
    field.before(button)
  }
  field.hidden = true
  button.ariaLabel = field.ariaLabel
  button.replaceChildren(field.value === '' ? '+' : imageOf(field.value))
}

function imageOf(url: string): HTMLImageElement {
  const image = document.createElement('img')
  const known = document.querySelector<HTMLImageElement>(`media-gallery [data-url="${CSS.escape(url)}"] img`)
  image.src = known?.src ?? url
  image.alt = ''
  return image
}

/** Chooses an image for these rows. */
export function pickPicture(row: HTMLElement, rows: HTMLElement[]): void {
  const dialog = document.getElementById('pick') as HTMLDialogElement
  const items = [...document.querySelectorAll<HTMLElement>('media-gallery [data-url]')].filter(({ hidden }) => !hidden)
  const choose = (url: string) => {
    for (const one of rows) {
      const field = one.querySelector<HTMLInputElement>('[name$=".image"]')!
      field.value = url
      field.dispatchEvent(new Event('input', { bubbles: true }))
      showPicture(one)
    }
    dialog.close()
    row.querySelector<HTMLElement>('[data-do=picture]')!.focus()
  }
  const button = (url: string, text: string, content: Node | string) => {
    const made = document.createElement('button')
    Object.assign(made, { type: 'button', className: 'picture', ariaLabel: text })
    made.append(content)
    made.addEventListener('click', () => choose(url))
    return made
  }
  const urls = [...new Set(items.map(({ dataset }) => dataset.url!))]
  const { none = '', number = '' } = dialog.dataset
  dialog
    .querySelector('div')!
    .replaceChildren(
      ...urls.map((url, index) => button(url, number.replace('{number}', String(index + 1)), imageOf(url))),
      button('', none, '–'),
    )
  dialog.showModal()
}
