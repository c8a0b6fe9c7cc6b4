// The addresses of a list's pages.

/** Changes parameters of an address; null removes one. */
export function addressWith(here: string, parameters: Record<string, string | null>): string {
  const url = new URL(here, 'http://here')
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  return url.pathname + url.search
}

/** The first page, the last one and the neighbors of this one; null stands for a gap. */
export function numbersAround(page: number, last: number): (number | null)[] {
  const numbers = [...new Set([1, page - 1, page, page + 1, last])]
    .filter((to) => to >= 1 && to <= last)
    .sort((a, b) => a - b)
  return numbers.flatMap((to, index) => {
    const step = to - (numbers[index - 1] ?? 0)
    return step === 1 ? [to] : step === 2 ? [to - 1, to] : [null, to]
  })
}

/** The path of a base URL, without a slash at its end. */
export function basePath(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '')
}
