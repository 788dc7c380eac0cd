/** What a person may be in a team, the one who may do most first. */
export const MEMBER_ROLES = ['owner', 'admin', 'developer', 'marketer', 'support', 'viewer'] as const
export type MemberRole = (typeof MEMBER_ROLES)[number]

export const isMemberRole = (text: string): text is MemberRole => (MEMBER_ROLES as readonly string[]).includes(text)
