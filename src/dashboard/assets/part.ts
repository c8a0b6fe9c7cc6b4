declare global {
  const Idiomorph: { morph(old: Element, fresh: Element, options?: object): void }
}

/** Exchanges one part of the page for that of another page. */
export function applyPart(fresh: Document, id: string): void {
  const [old, part] = [document.getElementById(id), fresh.getElementById(id)]
  if (old && part) Idiomorph.morph(old, part, { morphStyle: 'outerHTML', callbacks: { beforeNodeMorphed: keepOpen } })
}

/** Keeps opened parts of the screen open. */
export function keepOpen(old: Node, fresh: Node): boolean {
  if (old instanceof HTMLDetailsElement && fresh instanceof HTMLDetailsElement && old.open) fresh.open = true
  return true
}
