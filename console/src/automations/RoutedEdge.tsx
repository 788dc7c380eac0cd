import { BaseEdge, type Edge, type EdgeProps } from '@xyflow/react'
import type { Place } from './layout'

/** A connection as the layout has drawn it: around the steps that it does not concern. */
export type RoutedEdgeType = Edge<{ line: readonly Place[] }, 'routed'>

export function RoutedEdge({ id, data, label, style, markerEnd, sourceX, sourceY, targetX, targetY }: EdgeProps<RoutedEdgeType>) {
  const drawn = data?.line ?? []
  // A new connection has its line a moment later.
  const line =
    drawn.length > 1
      ? drawn
      : [
          { x: sourceX, y: sourceY },
          { x: targetX, y: targetY },
        ]
  const at = middleOf(line)
  return (
    <BaseEdge
      id={id}
      path={pathOf(line)}
      labelX={at.x}
      labelY={at.y}
      {...(label !== undefined && { label })}
      {...(style && { style })}
      {...(markerEnd && { markerEnd })}
    />
  )
}

const CORNER = 6

/** The line with rounded corners. */
function pathOf(line: readonly Place[]): string {
  const parts = line.map((point, index) => {
    const before = line[index - 1]
    const after = line[index + 1]
    if (!before) return `M ${point.x} ${point.y}`
    if (!after) return `L ${point.x} ${point.y}`
    const [from, to] = [towards(point, before), towards(point, after)]
    return `L ${from.x} ${from.y} Q ${point.x} ${point.y} ${to.x} ${to.y}`
  })
  return parts.join(' ')
}

function towards(point: Place, other: Place): Place {
  const length = Math.hypot(other.x - point.x, other.y - point.y)
  const share = length === 0 ? 0 : Math.min(CORNER, length / 2) / length
  return { x: point.x + (other.x - point.x) * share, y: point.y + (other.y - point.y) * share }
}

/** Where its name stands: on its first part aside, or in its middle if it is straight. */
function middleOf(line: readonly Place[]): Place {
  const [one, other] = line.length > 2 ? line.slice(1, 3) : line
  return one && other ? { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 } : { x: 0, y: 0 }
}
