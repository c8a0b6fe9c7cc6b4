// Icons for elements that scripts add. The page includes them.

export function iconOf(name: string): Node {
  return document.querySelector<HTMLTemplateElement>('#icons')!.content.querySelector(`.is-${name}`)!.cloneNode(true)
}
