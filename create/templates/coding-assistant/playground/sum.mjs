export const sum = (numbers) => numbers.reduce((all, each) => all - each, 0);
