// How much of answers that were made is not yet written, so that readers who do not read cannot fill the memory.

export type UnwrittenAnswers = {
  /** False while a team, or all together, have as much as may be. One more answer is let in before that. */
  hasRoom(team: string): boolean
  /** `over`: aborted once the answer was written, or its reader has gone. */
  add(team: string, characters: number, over: AbortSignal): void
}

export function createUnwrittenAnswers({ perTeam, inAll }: { perTeam: number; inAll: number }): UnwrittenAnswers {
  const ofTeams = new Map<string, number>()
  let total = 0

  function count(team: string, characters: number): void {
    const own = (ofTeams.get(team) ?? 0) + characters
    if (own === 0) ofTeams.delete(team)
    else ofTeams.set(team, own)
    total += characters
  }

  return {
    hasRoom: (team) => total < inAll && (ofTeams.get(team) ?? 0) < perTeam,
    add(team, characters, over) {
      if (over.aborted) return
      count(team, characters)
      over.addEventListener('abort', () => count(team, -characters), { once: true })
    },
  }
}
