const COPY = ' (copy)'

/** The name of the copy of something. Its end is cut if there is no room. */
export const nameOfCopy = (name: string, lengthMax: number): string => name.slice(0, lengthMax - COPY.length).toWellFormed() + COPY
