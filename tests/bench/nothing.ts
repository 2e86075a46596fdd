// An idle program in which the probe measures hashing without other load.
process.channel?.ref();
