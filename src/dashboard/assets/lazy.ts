// Elements of single screens: their script comes with the first screen that has them.
const files = new Map([
  ['record-picker', () => import('./picker.ts')],
  ['form-parts', () => import('./formparts.ts')],
  ['edit-grid', () => import('./grid.ts')],
  ['list-selection', () => import('./selection.ts')],
  ['mention-names', () => import('./mentions.ts')],
  ['live-bell', () => import('./bell.ts')],
  ['notify-permission', () => import('./bell.ts')],
  ['live-total', () => import('./total.ts')],
  ['named-sum', () => import('./total.ts')],
  ['live-log', () => import('./live.ts')],
  ['live-part', () => import('./live.ts')],
  ['variant-matrix', () => import('./matrix.ts')],
  ['search-preview', () => import('./preview.ts')],
  ['media-gallery', () => import('./gallery.ts')],
  ['picture-input', () => import('./picture.ts')],
  ['live-preview', () => import('./setup.ts')],
  ['colour-input', () => import('./setup.ts')],
  ['order-rows', () => import('./setup.ts')],
  ['sort-list', () => import('./sort.ts')],
])

// The toolbar of a text comes when the text is first edited.
document.addEventListener('focusin', ({ target }) => {
  if ((target as Element).closest('markdown-text')) void import('./markdown.ts')
})

export function loadElements(): void {
  for (const [name, load] of files) {
    if (!customElements.get(name) && document.querySelector(name)) void load()
  }
}
