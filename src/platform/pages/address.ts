// Lists: where their pages are.

/** The same address with other parameters; null takes one out. */
export function addressWith(here: string, parameters: Record<string, string | null>): string {
  const url = new URL(here, 'http://here')
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  return url.pathname + url.search
}

/** First, last, and those beside this one; null where some are left out. */
export function numbersAround(page: number, last: number): (number | null)[] {
  const numbers = [...new Set([1, page - 1, page, page + 1, last])]
    .filter((to) => to >= 1 && to <= last)
    .sort((a, b) => a - b)
  return numbers.flatMap((to, index) => {
    const step = to - (numbers[index - 1] ?? 0)
    return step === 1 ? [to] : step === 2 ? [to - 1, to] : [null, to]
  })
}
