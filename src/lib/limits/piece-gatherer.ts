// Joins many small pieces into few large ones. As separate objects, bytes that arrive one by one would take a hundred times their memory.

export type PieceGatherer = {
  /** The pieces that are complete, in order. */
  add(piece: Buffer): Buffer[]
  /** What remains at the end. */
  rest(): Buffer[]
}

export function createPieceGatherer(pieceBytes: number): PieceGatherer {
  let gathered: Buffer | null = null
  let bytes = 0

  function rest(): Buffer[] {
    const left = gathered && bytes > 0 ? [gathered.subarray(0, bytes)] : []
    gathered = null
    bytes = 0
    return left
  }

  return {
    add(piece) {
      if (piece.length >= pieceBytes) return [...rest(), piece]
      const complete = bytes + piece.length > pieceBytes ? rest() : []
      // A separate buffer, because one from the pool would keep others alive.
      gathered ??= Buffer.allocUnsafeSlow(pieceBytes)
      bytes += piece.copy(gathered, bytes)
      return complete
    },
    rest,
  }
}
