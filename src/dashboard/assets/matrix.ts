// Options and their variants: combinations follow the typed options, and a column can be filled for all rows or for
// the selected ones.
import { chosenWith, drawTicks, fieldsOf, fill, freshRow, nameRow, tick } from './fill.ts'
import { countText } from './count.ts'
import { EditGrid } from './grid.ts'
import { pickPicture, showPicture } from './pick.ts'

type Row = HTMLTableRowElement
const keyOf = (values: string[]) => values.join('\n')

class VariantMatrix extends EditGrid {
  /** The values of each option as the rows have them. */
  known: string[][] = []
  /** The number of the next row. */
  next = 0

  override connectedCallback(): void {
    super.connectedCallback()
    this.addEventListener('click', (event) => this.press(event.target as HTMLElement))
    this.addEventListener('change', ({ target }) => {
      if ((target as Element).closest('.option')) this.follow()
    })
    this.closest('form')?.addEventListener('input', ({ target }) => {
      if ((target as HTMLInputElement).name === 'price') this.inherit()
    })
  }

  override update(): void {
    for (const plain of this.querySelectorAll<HTMLElement>('[data-plain]')) {
      if (plain instanceof HTMLLabelElement) plain.hidden = true
      else plain.remove()
    }
    for (const part of this.querySelectorAll<HTMLElement>('[data-script]')) part.hidden = false
    for (const row of this.rows()) this.dress(row)
    this.known = this.values()
    this.next = Math.max(-1, ...this.rows().map((row) => Number(this.gone(row).name.split('.')[1]))) + 1
    this.tidy()
  }

  /** Variants without a price have the product's. */
  inherit(): void {
    const value = this.closest('form')?.querySelector<HTMLInputElement>('[name=price]')?.value ?? ''
    for (const cell of this.querySelectorAll<HTMLInputElement>('[name$=".price"]')) cell.placeholder = value
  }

  rows(): Row[] {
    return [...this.querySelectorAll<Row>('tbody [data-row]')]
  }

  values(): string[][] {
    const texts = [...this.querySelectorAll<HTMLTextAreaElement>('.option textarea')]
    return texts.map(({ value }) => [...new Set(value.split('\n').map((line) => line.trim()))].filter(Boolean))
  }

  dress(row: Row): void {
    row.hidden = this.gone(row).checked
    showPicture(row)
  }

  gone(row: Row): HTMLInputElement {
    return row.querySelector<HTMLInputElement>('[name$=".gone"]')!
  }

  /** Updates the rows after a change of the options. A value that replaces another on its line renames it. */
  follow(): void {
    const next = this.values()
    const before = this.known
    const added = next.map((values, index) => values.filter((value) => !before[index]!.includes(value)))
    const renames = next.map((values, index) => {
      const old = before[index]!
      const isSameLength = values.length === old.length
      return new Map(old.flatMap((was, at) => (isSameLength && !values.includes(was) ? [[was, values[at]!]] : [])))
    })
    for (const row of this.rows()) {
      for (const [index, field] of fieldsOf(row).entries()) {
        const now = renames[index]!.get(field.value) ?? field.value
        field.value = next[index]!.length === 0 ? '' : now || next[index]![0]!
      }
    }
    const seen = new Set<string>()
    for (const row of this.rows()) {
      const values = fieldsOf(row).map(({ value }) => value)
      const isWanted = values.every((value, index) => value === '' || next[index]!.includes(value))
      if (!isWanted || values.every((value) => value === '') || seen.has(keyOf(values))) this.discard(row)
      else if (!this.gone(row).checked) seen.add(keyOf(values))
    }
    const isNew = (values: string[]) =>
      seen.size === 0 ||
      values.some((value, index) => added[index]!.includes(value) && !renamed(renames[index]!, value))
    this.known = next
    this.complete(seen, isNew)
  }

  /** Adds each missing combination at its place. */
  complete(seen: Set<string>, isAsked: (values: string[]) => boolean): void {
    const used = this.known.map((values) => (values.length === 0 ? [''] : values))
    const count = used.reduce((product, values) => product * values.length, 1)
    const isTooMany = count > Number(this.dataset.most)
    const all = isTooMany || this.known.every(({ length }) => length === 0) ? [] : combinations(used)
    for (const values of all) if (!seen.has(keyOf(values)) && isAsked(values)) this.add(values)
    this.tidy(isTooMany ? this.dataset.tooMany : undefined)
    this.touch()
  }

  add(values: string[]): void {
    const row = freshRow(this.querySelector('template')!, this.next++, values)
    const place = (one: Row) => fieldsOf(one).map((field, index) => this.known[index]!.indexOf(field.value) + 1)
    const mine = place(row)
    const rows = this.shown()
    const isLast = rows.length === 0 || compare(place(rows.at(-1)!), mine) < 0
    const after = isLast ? null : rows.find((one) => compare(place(one), mine) > 0)
    this.querySelector('.matrix tbody')!.insertBefore(row, after ?? null)
    const isCounted = this.closest('form')?.querySelector<HTMLInputElement>('[name=track_inventory]')?.checked ?? false
    row.querySelector<HTMLInputElement>('[name$=".manage_inventory"]')!.checked = isCounted
    this.dress(row)
  }

  /** Marks a saved row, so that it is deleted with the next save. Removes an unsaved one. */
  discard(row: Row): void {
    if (row.querySelector<HTMLInputElement>('[name$=".id"]')!.value === '') return row.remove()
    this.gone(row).checked = true
    row.hidden = true
  }

  /** Tells the form that it has unsaved changes. */
  touch(): void {
    this.querySelector('input')!.dispatchEvent(new Event('input', { bubbles: true }))
  }

  override shown(): Row[] {
    return this.rows().filter(({ hidden }) => !hidden)
  }

  /** Updates titles, visible options, selection buttons and counts. */
  tidy(trouble?: string): void {
    const options = [...this.querySelectorAll<HTMLElement>('.option')]
    const status = this.querySelector<HTMLElement>('[data-count]')
    // A page swap may attach it before its content, or for a moment outside of its form.
    if (options.length === 0 || !status || !this.closest('form')) return
    const isEmpty = (option: Element) =>
      [...option.querySelectorAll('input:not([type=hidden]), textarea')].every(
        (field) => (field as HTMLInputElement).value === '',
      )
    for (const option of options) option.hidden = isEmpty(option) && !option.hasAttribute('data-open')
    if (options.every(({ hidden }) => hidden)) options[0]!.hidden = false
    this.querySelector<HTMLButtonElement>('[data-do=option]')!.hidden = options.every(({ hidden }) => !hidden)
    const rows = this.shown()
    rows.forEach(nameRow)
    const isNone = rows.length === 0
    for (const part of this.querySelectorAll<HTMLElement>('.fill, .scroll, .show-more, [data-do=missing]')) {
      ;(part.closest('p') ?? part).toggleAttribute('hidden', isNone && part.dataset.do !== 'missing')
    }
    status.textContent = trouble ?? (isNone ? '' : countText(status, 'count', rows.length))
    drawTicks(this.querySelector('[data-ticks]')!, this.known)
    this.inherit()
  }

  press(target: HTMLElement): void {
    const button = target.closest<HTMLElement>('[data-do]')
    const row = target.closest<Row>('[data-row]')
    switch (button?.dataset.do) {
      case 'option': {
        const next = [...this.querySelectorAll<HTMLElement>('.option')].find(({ hidden }) => hidden)!
        next.toggleAttribute('data-open', true)
        this.tidy()
        return next.querySelector<HTMLInputElement>('input:not([type=hidden])')!.focus()
      }
      case 'missing':
        return this.complete(
          new Set(this.shown().map((one) => keyOf(fieldsOf(one).map(({ value }) => value)))),
          () => true,
        )
      case 'remove': {
        const next = this.shown()[this.shown().indexOf(row!) + 1]
        this.discard(row!)
        this.tidy()
        this.touch()
        return next?.querySelector<HTMLElement>('[data-do=remove]')?.focus()
      }
      case 'tick':
        return tick(this.shown(), button.dataset.value!)
      case 'fill':
        fill(this, this.shown())
        return this.touch()
      case 'picture':
        return pickPicture(row!, chosenWith(this.shown(), row!))
    }
  }
}

function combinations(lists: string[][]): string[][] {
  return lists.reduce<string[][]>(
    (made, list) => made.flatMap((before) => list.map((value) => [...before, value])),
    [[]],
  )
}

function renamed(renames: Map<string, string>, value: string): boolean {
  return [...renames.values()].includes(value)
}

function compare(a: number[], b: number[]): number {
  const at = a.findIndex((value, index) => value !== b[index])
  return at < 0 ? 0 : a[at]! - b[at]!
}

customElements.define('variant-matrix', VariantMatrix)
