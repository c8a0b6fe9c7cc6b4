// Messages with a number that the page has in the singular and in the plural.
/** The message of `data-<name>-one` or `data-<name>-other`. */
export function countText(element: HTMLElement, name: string, count: number): string {
  return element.getAttribute(`data-${name}-${count === 1 ? 'one' : 'other'}`)!.replace('{count}', String(count))
}
