/** The version of this client. */
export const version = '1.0.0';
