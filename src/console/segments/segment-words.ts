// How segments are called.
export const ADDRESS = '/console/segments'

export const pathOf = ({ id }: { id: string }): string => `${ADDRESS}/${id}`
