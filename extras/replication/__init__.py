"""The paper's tables and figures from its released judgments. Pure: arrays in, numbers out.

Chaganty, Mussmann and Liang (ACL 2018), "The price of debiasing automatic metrics in natural
language evaluation".
"""
