/** Joins the lines that a mail program has broken so that they fit (RFC 3676). A quotation stays one, and so does a signature. */
export function unflowed(text: string, { deletesSpace }: { deletesSpace: boolean }): string {
  const paragraphs: string[][] = []
  let open: { depth: number; lines: string[] } | null = null
  for (const line of text.split('\n')) {
    const depth = depthOf(line)
    const content = unstuffed(line.slice(depth))
    const isSignature = content === '-- '
    const isFlowed = content.endsWith(' ') && !isSignature
    const piece = isFlowed && deletesSpace ? content.slice(0, -1) : content
    if (open !== null && open.depth === depth && !isSignature) open.lines.push(piece)
    else {
      open = { depth, lines: [depth === 0 ? piece : `${'>'.repeat(depth)} ${piece}`] }
      paragraphs.push(open.lines)
    }
    if (!isFlowed) open = null
  }
  return paragraphs.map((lines) => lines.join('')).join('\n')
}

function depthOf(line: string): number {
  let depth = 0
  while (line[depth] === '>') depth += 1
  return depth
}

/** A space stands before what would look like something else. */
const unstuffed = (line: string): string => (line.startsWith(' ') ? line.slice(1) : line)
